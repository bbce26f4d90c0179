"""Documents are looked at in the browser of the labelling page."""

from tests.serve.labelling.conftest import browser as browser
