/** The entry of the script that has the widget and its face in one file, for pages that can have only one. */

import './face/index.ts';
import './main.ts';
