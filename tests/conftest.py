"""Profiles of the property tests: `default` explores, `ci` runs the same examples each time."""

import os

from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))

collect_ignore_glob = ["fuzz/*"]  # started by hand, with a fuzzer that is no dependency
