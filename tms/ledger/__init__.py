"""The ledger: append-only JSON lines, one record a line.

wire     the form of a line on disk; strict: what exactly is wrong with one; format: sealing and reading one
intake   records as people and programs type them
reader   a whole file; writer: appending under a lock; history: who saw whom, as of, verify
docket   ledgers of another program, read as they are
"""
