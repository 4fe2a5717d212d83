"""Diagrams: one neutral model of what is drawn, and one pure function for each format."""
