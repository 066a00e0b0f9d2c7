# SPDX-License-Identifier: MIT
"""Clips: what moves the joints of a skeleton over time.

`Clip` holds the keys and samples them (`_clip`); its other methods are functions of the files beside it, one
file per noun, gathered in the table at the end of the class. All of them return a new clip.
"""

from lissom.clip._bind import Binding as Binding
from lissom.clip._clip import Clip as Clip
from lissom.clip._loop import Loop as Loop
from lissom.clip._markers import Marker as Marker
from lissom.clip._report import ClipReport as ClipReport
from lissom.clip._tracks import CUBICSPLINE as CUBICSPLINE
from lissom.clip._tracks import LINEAR as LINEAR
from lissom.clip._tracks import ROTATION as ROTATION
from lissom.clip._tracks import SCALE as SCALE
from lissom.clip._tracks import STEP as STEP
from lissom.clip._tracks import TRACK_DTYPE as TRACK_DTYPE
from lissom.clip._tracks import TRANSLATION as TRANSLATION
