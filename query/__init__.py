"""The query language over the engine; it reads only what `tms` makes public."""
