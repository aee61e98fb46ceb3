# Sphinx's settings; docs/site/build.py copies this file beside the pages.
project = "ashlar"
extensions = ["myst_parser", "breathe"]
root_doc = "index"
breathe_projects = {"ashlar": "../xml"}
breathe_default_project = "ashlar"
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"page_width": "auto", "body_max_width": "60em", "show_related": True}
html_show_search_summary = False  # a summary is fetched, which file:// does not allow
html_copy_source = False
suppress_warnings = ["misc.highlighting_failure"]  # lines Example of comments hold prose too
