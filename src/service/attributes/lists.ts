/** The published lists that attributes are looked up in, loaded once. */
import { createRequire } from 'node:module';

// JSON and CommonJS packages: Node 20 imports JSON only with a warning.
const require = createRequire(import.meta.url);

const emailProviders: string[] = require('email-providers/all.json');

/** Some 130,000 domains that hand out mailboxes for minutes. */
export const DISPOSABLE_DOMAINS: ReadonlySet<string> = new Set<string>(require('disposable-domains'));

/** Some 9,000 domains where anybody gets a mailbox for nothing; disposable ones among them. */
export const FREE_DOMAINS: ReadonlySet<string> = new Set<string>(emailProviders);

/** Some 1,000 local parts that belong to a task, not to a person. */
export const ROLE_NAMES: ReadonlySet<string> = new Set<string>(require('role-based-email-addresses'));
