"""The command `tms`: each sub-command is load, call, render."""
