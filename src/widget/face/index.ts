/**
 * The face: what a visitor sees of the widget. The widget loads this file when a visitor first uses an input, and never
 * waits for it. `import 'email-verify-widget/status'` loads it at once.
 *
 * @module email-verify-widget/status
 */

import { setPresentFace } from '../seam.ts';
import { createStatus } from './status.ts';

setPresentFace(createStatus);
