"""The browser of the labelling page serves here too."""

from tests.serve.labelling.conftest import browser as browser
