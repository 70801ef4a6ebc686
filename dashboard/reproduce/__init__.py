"""The figures of the papers, run again: `python -m dashboard.reproduce`.

`plans` turns the settings of a figure into runs, `laws` brings the records, `as_run` has what the authors' programs
do differently from their text, `judging` holds results against the measured numbers, `store` keeps them, `drawing`
paints without a browser, `command` is the program.
"""
