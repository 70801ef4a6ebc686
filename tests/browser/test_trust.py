"""Sites, Secure sum and Audit in a real browser: cells that edit, files that arrive, runs that close in."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright.sync_api")


def cell(visit, row, field):
    """A cell of the table of sites."""
    return visit.tab.locator(f".tabulator-row:nth-child({row}) .tabulator-cell[tabulator-field={field}]")


def write(visit, row, field, text):
    """Type into a cell as a person does."""
    cell(visit, row, field).click()
    entry = cell(visit, row, field).locator("input")
    entry.fill(text)
    entry.press("Enter")


def unfold(visit):
    """Show the table of the page of sites, which a test before may have opened."""
    if not visit.tab.locator(".tabulator-cell:visible").count():
        visit.tab.get_by_role("button", name="Change the sites").click()
    visit.tab.locator(".tabulator-cell:visible").first.wait_for()


def test_an_edited_cell_changes_the_picture_and_a_bad_one_is_named(visit):
    visit.size(1400, 1200)
    visit.go("?page=sites")
    unfold(visit)
    numbers = visit.wait_until(visit.numbers)
    write(visit, 1, "size", "700")
    visit.wait_until(lambda: visit.numbers() != numbers)
    visit.wait_until(lambda: "700" in visit.tab.url)
    numbers = visit.numbers()
    write(visit, 2, "size", "-5")
    visit.tab.get_by_text("Harbour: size must be a whole number").wait_for()
    assert visit.numbers() == numbers
    write(visit, 2, "size", "5000")
    visit.wait_until(lambda: visit.numbers() != numbers)
    visit.tab.get_by_text("Harbour: size must be").wait_for(state="hidden")
    numbers = visit.numbers()
    cell(visit, 3, "colludes").click()
    cell(visit, 3, "colludes").locator("input").click()
    visit.wait_until(lambda: visit.numbers() != numbers)
    visit.tab.get_by_text("1 colluding site").first.wait_for()
    visit.tab.get_by_role("button", name="Harbour: 5").first.click()
    visit.tab.get_by_text("2 colluding sites").first.wait_for()
    visit.tab.get_by_role("button", name="sees one message").click()
    visit.tab.get_by_text("nobody sees more than the result or one message").first.wait_for()
    visit.wait_until(lambda: "against=message" in visit.tab.url)


def test_an_unreachable_target_is_explained_and_the_nearest_one_taken(visit):
    visit.go("?page=sites")
    visit.tab.get_by_role("button", name="One very cautious site").click()
    visit.push("Noise of the average", "ArrowLeft", times=5)
    visit.tab.get_by_text("paranoid dominates").wait_for()
    visit.tab.get_by_role("button", name="Take 0").click()
    visit.wait_until(lambda: not visit.tab.get_by_text("paranoid dominates").is_visible())


def test_a_table_from_a_file(visit, tmp_path):
    path = tmp_path / "consortium.csv"
    path.write_text("site,size,epsilon,delta\nEast <b>,400,1,1e-5\nWest,500,0.5,1e-6\n")
    visit.go("?page=sites")
    unfold(visit)
    # The table of the test before may still be on its way out: what comes then would replace the file's.
    visit.wait_until(lambda: "University" in visit.tab.locator(".tabulator-table").first.inner_text())
    visit.tab.locator("input[type=file]").set_input_files(path)
    visit.wait_until(lambda: "West" in visit.tab.url)
    visit.wait_until(lambda: visit.tab.locator(".tabulator-row").count() == 2)
    visit.wait_until(lambda: visit.tab.get_by_text("East <b>").count() > 0)


def test_the_tab_beside_sites_recovers_a_sum(visit):
    visit.size(1400, 1400)
    visit.go("?page=sites")
    visit.tab.get_by_role("button", name="Secure sum").click()
    visit.tab.get_by_role("heading", name="Secure sum", level=1).wait_for()
    visit.tab.get_by_role("button", name="▶ Play the protocol").click()
    visit.tab.get_by_role("checkbox", name="Pause").check()
    moving = visit.tab.locator(".secure .bytes i").first
    visit.wait_until(lambda: moving.evaluate("e => getComputedStyle(e).animationPlayState") == "paused")
    visit.tab.get_by_role("button", name="Too many sites drop out").click()
    visit.tab.get_by_text("4 are needed").wait_for()
    visit.tab.get_by_role("button", name="Sites", exact=True).first.click()
    visit.tab.get_by_role("heading", name="Sites", level=1).wait_for()


def test_an_audit_convicts_while_one_watches(visit):
    visit.go("?page=audit&runs=20000&mechanism=message")
    visit.tab.get_by_role("button", name="▶ Play").click()
    visit.tab.get_by_text("Nothing found.").wait_for()
    visit.tab.get_by_role("button", name="First program").click()
    visit.tab.get_by_text("Program caught.").wait_for()
    visit.tab.get_by_text("is broken").wait_for()
    visit.tab.get_by_role("button", name="← not in").click()
    visit.tab.get_by_text("of 1.").wait_for()


def test_what_is_chosen_before_the_live_page_stands_is_not_lost(visit):
    tab, held, free = visit.tab, [], []
    scripts = re.compile(r"/bokeh[^/]*\.js")
    tab.route(scripts, lambda route: route.continue_() if free else held.append(route))
    tab.goto(f"{visit.server}/dashboard?page=limits", wait_until="commit")
    slider = tab.locator("#first-picture").get_by_role("slider", name=re.compile("Sites that collude"))
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    visit.wait_until(lambda: held)
    free.append(True)  # The scripts come when the test lets them.
    for route in held:
        route.continue_()
    visit.stands()
    tab.get_by_text("Sites that collude: 3").wait_for()
    tab.keyboard.press("ArrowRight")  # The slider has kept the focus.
    tab.get_by_text("Sites that collude: 4").wait_for()
    # Every press counts, also of two within one moment; and no late answer takes back what was asked for since.
    sites = [tab.get_by_role("button", name=f"Site {number}: honest").element_handle() for number in (5, 6)]
    tab.evaluate(
        "(sites) => { for (const site of sites) site.dispatchEvent(new Event('click', {bubbles: true})) }",
        sites,
    )
    tab.get_by_text("Sites that collude: 6").wait_for()
    tab.unroute(scripts)


def test_a_site_of_the_ring_colludes_falls_silent_and_the_lecture_lists_its_slides(visit):
    visit.size(1400, 1000)
    visit.go("?page=limits")
    tab = visit.tab
    tab.get_by_text("How many may drop out").wait_for()
    tab.get_by_role("button", name="Play: sites drop out").click()
    tab.get_by_text("2 of 10 sites dropped out").wait_for()
    tab.get_by_text("CAPE does not help here").wait_for()
    tab.get_by_role("button", name="Let all send again").click()
    tab.get_by_text("How many may drop out").wait_for()
    tab.get_by_role("button", name="Site 4: honest").click()
    tab.get_by_role("button", name="Site 4: colludes").wait_for()
    tab.get_by_role("button", name="Site 4: colludes").press("Enter")
    tab.get_by_role("button", name="Site 4: dropped out").wait_for()
    silent = visit.slider("Sites that drop out")
    silent.focus()
    for count in (2, 3, 4):
        silent.press("ArrowRight")  # The slider keeps the focus while the picture changes around it.
        tab.get_by_text(f"Sites that drop out: {count}").wait_for()
    visit.wait_until(lambda: "silent=4" in tab.url)
    tab.get_by_role("button", name="Lecture", exact=True).click()
    tab.get_by_role("button", name="Slides").click()
    tab.get_by_role("link", name="Colluders and dropouts").click()
    tab.get_by_text("Limits of CAPE · 4 of 4").wait_for()
    tab.get_by_text("does not help here").wait_for()
    visit.lecture("Escape")
    visit.wait_until(lambda: "lecture" not in tab.url)


@pytest.mark.parametrize("page", ["audit", "secure_sum"])
def test_a_hall_can_read_the_play_button_of_a_slide(visit, page):
    visit.size(1920, 1080)
    visit.go(f"?page={page}&lecture=1")
    press = visit.tab.locator("button:visible", has_text=re.compile("Play|Pause|training")).first
    visit.wait_until(lambda: press.count() and press.bounding_box()["height"] >= 40)
    size = "button => parseFloat(getComputedStyle(button).fontSize) * (button.currentCSSZoom || 1)"
    visit.wait_until(lambda: press.evaluate(size) >= 22)


def test_a_number_stands_at_the_end_of_its_bar(visit):
    visit.size(1920, 1080)
    visit.go("?page=sites&lecture=1")
    bars, numbers = (visit.tab.locator(f".site .{kind}") for kind in ("beam .local", "number"))

    def beside():
        ends = [bars.nth(s).bounding_box() for s in range(6)]
        gaps = [numbers.nth(s).bounding_box()["x"] - end["x"] - end["width"] for s, end in enumerate(ends)]
        return all(0 < gap < 30 for gap in gaps)

    visit.wait_until(beside)
