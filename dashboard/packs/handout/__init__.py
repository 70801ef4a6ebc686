"""The handout: one HTML file with Protocol, Gain and Guarantee, which needs neither Python nor a network.

`facts` collects what the pages and `core` say, `build` writes it into one file with the style sheet and the programs
beside it, and `cli` is the command. `formulas.js` has the formulas of `core` in the same letters; the Mills ratio, from
which all of them follow, is tabulated by `facts`. `chart.js` draws SVG, `pages.js` has the three pages, `frame.js` the
sliders and the navigation.
"""
