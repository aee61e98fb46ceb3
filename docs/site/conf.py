# Sphinx's settings; docs/site/build.py copies this file beside the pages.
project = "ashlar"
extensions = ["myst_parser", "breathe"]
root_doc = "index"
breathe_projects = {"ashlar": "../xml"}
breathe_default_project = "ashlar"
myst_heading_anchors = 4
html_theme = "alabaster"
# 120 columns of code fit.
html_theme_options = {"page_width": "auto", "body_max_width": "64em", "sidebar_width": "260px", "code_font_size": "0.75em", "show_related": True}
html_show_search_summary = False  # a summary is fetched, which file:// does not allow
html_copy_source = False
smartquotes = False  # they break code and pasted sentences
suppress_warnings = ["misc.highlighting_failure"]  # lines Example of comments hold prose too
