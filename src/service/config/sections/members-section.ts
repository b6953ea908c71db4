/** The section `members`: what depends on the operator in the roles of an account. */
import { type Static, Type } from '@sinclair/typebox';
import { yesNo } from './shared-schemas.ts';

export const MembersSchema = Type.Object(
  {
    viewersDownload: yesNo(
      'Whether viewers of an account may download files with email addresses, and look up what is stored about an address.',
      false,
    ),
  },
  {
    title: 'Members',
    description: 'See [Members and roles](dashboard.md#members-and-roles).',
    additionalProperties: false,
    expected: 'an object',
  },
);

/** The section with all defaults. */
export interface MemberSettings {
  /** Whether viewers may download and look up email addresses. */
  readonly viewersDownload: boolean;
}

export const settleMembers = ({ viewersDownload = false }: Static<typeof MembersSchema>): MemberSettings => ({
  viewersDownload,
});
