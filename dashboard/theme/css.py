"""The style sheets of the frame: one layout for a projector, a laptop and a phone."""

NARROW = "899px"

SHELL = f"""
:host {{
  display: grid; grid-template-columns: 270px minmax(0, 1fr); column-gap: 36px; row-gap: 8px;
  grid-template-areas: "head head" "side stage"; align-items: start;
  grid-auto-rows: max-content;
  max-width: 1320px; margin: 0 auto; padding: 20px 32px 64px; box-sizing: border-box; width: 100%;
}}
:host(.lecture) {{
  --large: 1.25; --least: 2000px; padding-top: 4px; max-width: 1400px;
  grid-template-columns: minmax(0, 1fr); grid-template-areas: "stage";
}}
:host(.lecture) > .side, :host(.lecture) > .head {{ display: none }}
:host(.bare) {{
  grid-template-columns: minmax(0, 1fr); grid-template-areas: "head" "stage"; max-width: 1080px;
}}
.head {{ grid-area: head }}
.side {{ grid-area: side }}
.stage {{ grid-area: stage; min-width: 0 }}
@media (max-width: {NARROW}) {{
  :host, :host(.bare) {{
    grid-template-columns: minmax(0, 1fr); grid-template-areas: "head" "stage" "side";
    padding: 12px 16px 48px; row-gap: 16px;
  }}
}}
@media print {{
  :host, :host(.bare) {{ display: block; padding: 0; max-width: none; zoom: var(--paper, 1) }}
  .side {{ display: none !important }}
}}
"""

HEAD = """
:host { color: var(--mui-palette-text-primary); font-family: var(--bokeh-base-font) }
h1 { font-size: 30px; font-weight: 700; letter-spacing: -0.01em; line-height: 1.2; margin: 0 0 4px }
p { font-size: 17px; line-height: 1.5; margin: 0; color: var(--mui-palette-text-secondary);
    max-width: 80ch; text-wrap: pretty }
@media (max-width: 899px) { h1 { font-size: 25px } p { font-size: 16px } }
"""

WORDS = """
:host { color: var(--mui-palette-text-primary); font-family: var(--bokeh-base-font) }
p { font-size: calc(18px * var(--large, 1)); line-height: 1.5; margin: 0; max-width: 72ch }
"""

FINE = """
:host { color: var(--mui-palette-text-primary); font: calc(15px * var(--large, 1))/1.55 var(--bokeh-base-font) }
p, ul { max-width: 80ch }
.scroll { overflow-x: auto; max-width: 100% }
p { margin: 6px 0 } ul { margin: 4px 0; padding-left: 1.3em }
table { border-collapse: collapse; margin: 8px 0; font-variant-numeric: tabular-nums;
        font-size: calc(14px * var(--large, 1)) }
th, td { text-align: left; padding: 5px 18px 5px 0; font-weight: 400; vertical-align: top; border: 0;
         white-space: nowrap; border-bottom: 1px solid var(--mui-palette-divider) }
table, tr, th, td { background: none !important; color: inherit !important }
thead th { font-weight: 600 }
tbody th { font-weight: 500 }
mjx-container { max-width: 100%; overflow-x: auto; overflow-y: hidden }
code { font-size: 13px; background: none; color: inherit }
a { color: var(--mui-palette-primary-main) }
"""

STEP = """
:host { color: var(--mui-palette-text-primary); font-family: var(--bokeh-base-font) }
h1 { font-size: 38px; font-weight: 700; letter-spacing: -0.015em; line-height: 1.15; margin: 0 0 6px; text-wrap: balance }
p { font-size: 23px; line-height: 1.4; margin: 0; max-width: 86ch; text-wrap: pretty }
.place { font-size: 17px; margin: 0 0 4px; color: var(--mui-palette-text-secondary) }
@media (max-width: 899px) { h1 { font-size: 27px } p { font-size: 18px } }
"""

# For parts that are not printed.
SCREEN = "@media print { :host { display: none !important } }"

NOTICE = """
:host { font-family: var(--bokeh-base-font); color: var(--mui-palette-text-primary) }
.notice { --tone: #b26a00; padding: 8px 14px; font-size: 15px; border-radius: 4px;
          border-left: 4px solid var(--tone); background: color-mix(in srgb, var(--tone) 11%, transparent) }
.notice.error { --tone: #d32f2f }
"""

GROUP = """
:host { font: 600 12px/1.4 var(--bokeh-base-font); letter-spacing: 0.08em; text-transform: uppercase;
        color: var(--mui-palette-text-secondary) }
"""

TABLE = """
:host { font-size: 14px }
.tabulator, .tabulator-header, .tabulator-row, .tabulator-col, .tabulator-tableholder {
  background: none !important; color: inherit !important; border-color: var(--mui-palette-divider) !important }
.tabulator-row { border-bottom: 1px solid var(--mui-palette-divider) !important; min-height: 30px }
.tabulator-cell { border-right: 0 !important }
.tabulator-cell input { color: inherit }
"""
