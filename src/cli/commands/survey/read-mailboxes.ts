/** Reads the mailboxes of a survey: one address on each line, with `,full` behind one that is full. */
import { toAsciiDomain } from '../../../engine/address/domain.ts';
import { splitAddress } from '../../../engine/address/parts.ts';
import { isAddress } from '../../../engine/address/syntax.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';

/** The operator's own mailboxes at one domain. */
export interface SurveyedDomain {
  /** In ASCII. */
  readonly domain: string;
  readonly known?: string;
  readonly full?: string;
}

/** @throws {UsageError} with the number of the line that cannot be read */
export function readMailboxes(text: string): readonly SurveyedDomain[] {
  const domains = new Map<string, SurveyedDomain>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, address = '', full] = /^(.*?)(\s*,\s*full)?$/.exec(line.trim())!;
    const domain = isAddress(address) ? toAsciiDomain(splitAddress(address).domain) : undefined;
    const place = `line ${index + 1} of --mailboxes`;
    if (domain === undefined) {
      throw new UsageError(
        `Expected an address or "address,full" in ${place}, got ${quote(line)}. Correct it.`,
      );
    }
    const kind = full === undefined ? 'known' : 'full';
    const others = domains.get(domain);
    if (others?.[kind] !== undefined)
      throw new UsageError(`Expected one such mailbox for each domain, got another in ${place}. Remove one.`);
    domains.set(domain, { ...others, domain, [kind]: address });
  }
  if (domains.size === 0) throw new UsageError('Expected a mailbox in --mailboxes, got none. Add your own.');
  return [...domains.values()];
}
