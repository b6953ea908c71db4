/** The texts of all languages, for `auto`. */

import ar from '../ar.ts';
import cs from '../cs.ts';
import da from '../da.ts';
import de from '../de.ts';
import es from '../es.ts';
import fa from '../fa.ts';
import fr from '../fr.ts';
import he from '../he.ts';
import it from '../it.ts';
import ja from '../ja.ts';
import ko from '../ko.ts';
import nl from '../nl.ts';
import pl from '../pl.ts';
import pt from '../pt.ts';
import ru from '../ru.ts';
import sv from '../sv.ts';
import tr from '../tr.ts';
import uk from '../uk.ts';
import zh from '../zh.ts';
import type { LocaleTexts } from './texts.ts';

/** The texts by language subtag. */
export const LOCALES: Readonly<Record<string, LocaleTexts>> = {
  ar,
  cs,
  da,
  de,
  es,
  fa,
  fr,
  he,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  ru,
  sv,
  tr,
  uk,
  zh,
};
