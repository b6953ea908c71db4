/** Improves the pages of the dashboard in browsers with scripts. Each page also works without them. */
import { prepareAnnouncements } from './announce.ts';
import { copyOnPress } from './copy.ts';
import { forgetDone } from './done.ts';
import { keepHistory } from './history.ts';
import { followLiveParts } from './live.ts';
import { offerNotice } from './notice.ts';
import { focusOutcome } from './outcome.ts';
import { chooseTypedHours } from './retention.ts';
import { revealOnPress } from './reveal.ts';
import { followChoices } from './review.ts';
import { followOptions } from './snippet.ts';
import { tellLocalTimes } from './times.ts';
import { uploadLists } from './upload.ts';

prepareAnnouncements();
focusOutcome();
copyOnPress();
revealOnPress();
tellLocalTimes(document);
followLiveParts();
keepHistory();
offerNotice();
forgetDone();
followOptions();
uploadLists();
followChoices();
chooseTypedHours();
