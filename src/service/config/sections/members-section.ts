/** The section `members`: what depends on the operator in the roles of an account. */
import type { Static } from '@sinclair/typebox';
import { section, yesNo } from './shared-schemas.ts';

export const MembersSchema = section(
  {
    viewersDownload: yesNo(
      'Whether viewers of an account may download files with email addresses, and look up what is stored about an address.',
      false,
    ),
  },
  { title: 'Members', description: 'See [Members and roles](dashboard.md#members-and-roles).' },
);

/** The section with all defaults. */
export type MemberSettings = Readonly<Required<Static<typeof MembersSchema>>>;
