"""How Sphinx builds these pages: `pip install ".[docs]"`, then `sphinx-build docs dist/docs`."""

from importlib.metadata import version as installed

project = "fastdyn"
author = copyright = "The fastdyn authors"
version = release = installed("fastdyn")
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "amsmath"]
nb_execution_mode = "off"
html_theme = "furo"
