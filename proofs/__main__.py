"""``python -m proofs``."""

import sys

from proofs.command_line import main

sys.exit(main())
