/** Reads the form of an app, by the same rules as `admin app create`. */
import { quote } from '../../config/sections/shared-schemas.ts';
import type { AppSettings } from '../../oauth/apps/manage/manage-apps-store.ts';
import { whyNotRedirectUri } from '../../oauth/apps/redirect-uri.ts';
import type { Fault, Fields } from '../form-fields.ts';
import { readLines, whyNotName } from '../read-lines.ts';

const MOST_URIS = 50;

/** @returns the settings, or the first fault */
export function readSettings(fields: Fields): AppSettings | Fault {
  const name = (fields.get('name') ?? '').trim();
  const why = whyNotName(name, 'app');
  if (why !== undefined) return { field: 'name', message: why };
  const lines = readLines(fields.get('redirect_uris') ?? '');
  const wrong = (message: string): Fault => ({ field: 'redirect_uris', message });
  if (lines.length > MOST_URIS)
    return wrong(`Expected at most ${MOST_URIS} redirect URIs, got ${lines.length}. Remove some.`);
  for (const { entry, line } of lines) {
    const fault = whyNotRedirectUri(entry);
    if (fault !== undefined)
      return wrong(`Expected line ${line} of the redirect URIs ${fault}, got ${quote(entry)}. Correct it.`);
  }
  const allowsDevice = fields.get('device') === 'yes';
  if (lines.length === 0 && !allowsDevice)
    return wrong(
      'Enter a redirect URI, allow the device flow, or both. Otherwise, people cannot connect the app.',
    );
  return { name, redirectUris: [...new Set(lines.map(({ entry }) => entry))], allowsDevice };
}
