"""The figures of the papers, run again: `python -m dashboard.reproduce`.

`plans` turns the settings of a figure into runs, `laws` brings the records, `as_run` has what the authors' programs
do differently from their text, `running` runs them, `store` keeps results, `judging` holds them against the measured
numbers, `writing` and `drawing` make tables and pictures without a browser, `command` is the program.
"""
