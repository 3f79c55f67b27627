"""The main text under the classes of common frameworks: the story stays, the furniture around it goes."""

import gzip
import json
import random
from itertools import product
from pathlib import Path

import pytest

from simsieve import dedup
from simsieve.text.html import extract_main, extract_text

# For each framework the classes of the body, of the wrapper, of the block with the story, and of the one inside.
FRAMEWORKS = {
    "wordpress": "single no-sidebar has-navbar cookies-not-set | hfeed site | "
    "post hentry comments-open | entry-content no-ads",
    "twenty sixteen": "single group-blog no-sidebar | site-inner sidebar-right | content-area | site-main social-free",
    "astra": "ast-right-sidebar ast-header-break-point | ast-container | ast-article-single | entry-content clear",
    "genesis": "content-sidebar nav-fixed | site-container | content-sidebar-wrap | entry-content",
    "divi": "et_fixed_nav et_right_sidebar et_show_nav | et_pb_section | et_pb_row et_pb_widget | et_pb_text_inner",
    "elementor": "elementor-default | elementor-section | "
    "elementor-widget elementor-widget-text-editor | elementor-widget-container",
    "wpbakery": "wpb-js-composer | vc_row wpb_row | wpb_widgetised_column | wpb_wrapper",
    "avada": "fusion-sticky-header has-sidebar | layout-wide-mode | post-content | fusion-no-related-posts",
    "bootstrap": "navbar-fixed-top-body | container-fluid sidebar-layout | row with-sidebar | col-md-8 col-no-banner",
    "tailwind": "antialiased | lg:pl-64 has-[nav]:mt-4 | prose peer/menu | max-w-none",
    "foundation": "no-js off-canvas-menu-closed | off-canvas-content | grid-x nav-visible | cell medium-8",
    "bulma": "has-navbar-fixed-top | section | columns | column is-8 content is-social-free",
    "drupal": "path-node sidebar-first one-sidebar toolbar-fixed | layout-container | "
    "region region-content comment-form-closed | field field--body",
    "joomla": "site has-sidebar-right | container-component | "
    "com-content-article item-page | com-content-article__body",
    "hugo": "list-page no-comments | content-with-sidebar | post-single | post-content",
    "docusaurus": "navigation-with-keyboard | main-wrapper docMainContainer | "
    "docItemWrapper | theme-doc-markdown markdown",
    "ghost": "post-template is-head-middle-logo has-sans-body | viewport | "
    "gh-canvas no-share | gh-content gh-widget-canvas",
    "blogger": "item-view version-1-3-3 variant-default_light | page_body has-vertical-ads | "
    "widget Blog | post-body entry-content",
    "discuz": "pg_viewthread | wp cl nav_off | t_fsz pcb | t_f ad_free",
    "dedecms": "articleview | w960 center clear menu_on | viewbox sidebar_left_box | content adfree",
    "hexo": "theme-next sidebar-off | container use-motion | post-block comments-enabled | post-body",
    "mkdocs": "md-nav-sticky | md-container | md-main__inner md-grid | md-content__inner",
    "sphinx": "wy-body-for-nav | wy-grid-for-nav | documentwrapper nosidebar | body bodywrapper-no-sidebar",
    "medium": "postArticle | section-inner--no-related | post-with-social | story-banner-text",
    "shopify": "template-article announcement-bar-hidden | page-width | "
    "article-template has-share | rte cookie-accepted",
}
NAMES = ["the ferry", "the old choir", "a freight train", "the lighthouse keeper", "the night baker", "her brass band"]
DOES = ["leaves the harbour", "rehearses in the station", "waits before the bridge", "paints the northern stairs"]
WHEN = ["until the roof is dry", "every second spring", "while the lamps are lit", "because nobody asked for it"]

FURNITURE = {
    "nav": "<nav class='main-nav'><ul><li><a href=/>Front door</a><li><a href=/a>Our shelves</a></ul></nav>",
    "menu": (
        "<div class='menu-main-container'><ul><li><a href=/b>Second shelf</a><li><a href=/c>Third shelf</a></ul></div>"
    ),
    "cookies": (
        "<div id='cookie-notice'><p>We store crumbs on your machine, and nobody reads them. <button>Fine</button></div>"
    ),
    "sidebar": "<div class='sidebar'><h3>Weather</h3><p>Fog until noon, then less fog.</p></div>",
    "related": (
        "<div class='related-posts'><h3>Read next</h3><ul><li><a href=/d>The last plum"
        "</a><li><a href=/e>Ropes</a></ul></div>"
    ),
    "share": "<div class='social-share'><span>Tell your friends of it</span></div>",
    "comments": "<div id='comments'><p>First of all, I was there, and it was colder.</p></div>",
    "footer": "<div class='site-footer'><p>Printed by the harbour office, all rights kept.</p></div>",
}
SAID = "Front door,Second shelf,store crumbs,Fog until,last plum,Tell your,it was colder,all rights".split(",")
SHAPES = {
    "article": "<article class='{2}'><h1>{title}</h1><div class='{3}'>{story}</div></article>",
    "title outside": "<h1 class='page-banner'>{title}</h1><div class='{2}'><div class='{3}'>{story}</div></div>",
    "no title": "<div class='{2}'><div class='{3}'>{story}</div></div>",
    "main": "<main class='{2}'><h1>{title}</h1><div class='{3}'>{story}</div></main>",
}
PAGES = sorted(product(FRAMEWORKS, SHAPES, (4, 9, 25)))


def written(framework: str, shape: str, sentences: int) -> tuple[str, list[str]]:
    """A page and the sentences of its story."""
    draw = random.Random(f"{framework} {shape} {sentences}")
    body, wrapper, *inner = FRAMEWORKS[framework].split(" | ")
    story = [
        f"{draw.choice(NAMES).capitalize()} {draw.choice(DOES)} {draw.choice(WHEN)}, {n}." for n in range(sentences)
    ]
    block = SHAPES[shape].format("", "", *inner, title="A story", story="".join(f"<p>{line}</p>" for line in story))
    before, after = list(FURNITURE.values())[:3], list(FURNITURE.values())[3:]
    page = f"<body class='{body}'>{''.join(before)}<div class='{wrapper}'>{block}</div>{''.join(after)}</body>"
    return f"<!doctype html><html><head><title>A story</title></head>{page}</html>", story


def test_there_are_three_hundred_pages() -> None:
    """The table makes as many pages as are asked for."""
    assert len(PAGES) == 300


@pytest.mark.parametrize("framework", sorted(FRAMEWORKS))
def test_the_story_stays_and_the_furniture_goes(framework: str) -> None:
    """No class of a framework takes a sentence of the story away, and none of the furniture stays."""
    for name, shape, sentences in PAGES:
        if name == framework:
            page, story = written(name, shape, sentences)
            main = extract_main(page)
            assert [line for line in story if line not in main] == [], (shape, sentences)
            assert [said for said in SAID if said in main] == [], (shape, sentences)


def test_stories_of_one_site_are_kept_apart() -> None:
    """Different stories under the classes of one framework are no exact copies of one another."""
    for framework in FRAMEWORKS:
        texts = [written(framework, shape, 25)[0] for shape in SHAPES]
        assert dedup(texts, extract="main").counts.exact == 0, framework


@pytest.mark.parametrize(
    "name",
    [
        "no-sidebar", "ad-free", "nav-fixed", "elementor-widget",
        "has-sidebar", "sidebar-right", "left-sidebar", "menu-open",
        "with-comments", "comments-closed", "no_ads",
        "page-with-nav", "related-content", "share-enabled", "cookie-accepted",
        "banner-top", "social-ready", "widget-text", "toolbar-enabled",
        "popup-gallery", "promo_box", "pager-none", "masthead-fixed",
        "navigation-hidden", "footer-sticky", "site-banner-wrap", "nav",
        "sidebar", "widget", "comments", "menu", "banner",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "inside", ["<article>{}</article>", "<main>{}</main>", "{}", "<h1>Stairs</h1>{}", "<div class='nav-wrap'>{}</div>"]
)
def test_a_name_does_not_decide_against_the_text(name: str, inside: str) -> None:
    """A class or id with a word of furniture takes no story away, whatever the story is in."""
    story = "<p>The lighthouse keeper paints the northern stairs every second spring.</p><p>Nobody sees it.</p>"
    for attribute in ("class", "id"):
        block = f"<div {attribute}='{name}'>{inside.format(story)}</div>"
        page = f"<body><div><p>We use cookies. Accept.</p></div>{block}</body>"
        assert "northern stairs" in extract_main(page) and "Nobody sees it." in extract_main(page)


@pytest.mark.parametrize(
    ("furniture", "text"),
    [
        (
            "<div class='related-posts'><article>The last plum of it</article><article>Ropes and more</article></div>",
            "last plum",
        ),
        (
            "<select><option>" + "<option>".join(f"March {year}" for year in range(1980, 2020)) + "</select>",
            "March 1999",
        ),
        ("<aside><h2>Weather</h2><p>Fog until noon, then less fog, then rain.</aside>", "Fog"),
        ("<div id=comments>" + "<p>I was there, and it was colder.</p>" * 9 + "</div>", "colder"),
        ("<div role=complementary><p>Fog until noon</div>", "Fog"),
        ("<div class='footer-widgets'><p>Printed by the harbour office</div>", "Printed"),
        ("<div class='newsletter-popup'><p>Letters from us, once a week</div>", "Letters"),
    ],
)
def test_furniture_goes_by_its_name(furniture: str, text: str) -> None:
    """Furniture beside a story is left out, and a long thread of comments and a long list to choose from too."""
    story = "<div><h1>Stairs</h1><p>The lighthouse keeper paints the northern stairs every second spring.</div>"
    for page in (story + furniture, furniture + story):
        assert extract_text(page).count(text) and "northern stairs" in extract_main(page)
        assert text not in extract_main(page)


def test_no_crawled_page_loses_its_article(shared_data: Path) -> None:
    """Each of 37 crawled pages keeps a phrase that it must have, and 98 of 100 are there."""
    with gzip.open(shared_data / "html_crawled_cc.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    found = wanted = 0
    for row in rows:
        main, whole = (" ".join(make(row["html"]).split()) for make in (extract_main, extract_text))
        phrases = [" ".join(phrase.split()) for phrase in row["must_have"] or []]
        phrases = [phrase for phrase in phrases if phrase in whole]
        there = sum(phrase in main for phrase in phrases)
        assert there or not phrases, row["id"]
        found, wanted = found + there, wanted + len(phrases)
    assert found >= 0.98 * wanted
