"""Reproduction of the papers' figures: `python -m dashboard.reproduce`.

`experiments` turns the settings of a figure into runs. `datasets` draws or loads the records. `author_programs` holds
what the authors' programs do differently from their text. `runner` runs the figures, `cache` stores results, and
`comparison` compares them with the measured numbers. `report` and `svg` write tables and pictures without a browser.
`script` writes a figure's runs as a program, and `cli` is the command.
"""
