/** The body of a notice. */
import { type Static, Type } from '@sinclair/typebox';
import type { ClaimedNotice } from './notice-store.ts';

export const NoticeSchema = Type.Object(
  {
    type: Type.Literal('credits.low', { description: 'What the notice is about.' }),
    timestamp: Type.String({
      format: 'date-time',
      description: 'When the service found that the credits run low. Each try has the same.',
    }),
    account: Type.String({ description: 'The id of the account.' }),
    owner_email: Type.String({ description: 'The email address of the owner of the account.' }),
    available_credits: Type.Integer({ description: 'The credits that the account had then.' }),
    needed_credits: Type.Integer({
      description:
        'The credits below which they run low: what 3 more days like those of the last 7 need, or what the operator has set if that is more.',
    }),
    days_left: Type.Union([Type.Number(), Type.Null()], {
      description:
        'How many days the credits last at the pace of the last 7 days, with one decimal. Null if nothing was used in them.',
    }),
  },
  { title: 'Notice' },
);

/** What a notice tells. */
type Told = Pick<ClaimedNotice, 'account_id' | 'owner_email' | 'told_at'> &
  Pick<ClaimedNotice, 'available' | 'needed' | 'days_left'>;

export const toNotice = (notice: Told): Static<typeof NoticeSchema> => ({
  type: 'credits.low',
  timestamp: notice.told_at.toISOString(),
  account: notice.account_id,
  owner_email: notice.owner_email,
  available_credits: notice.available,
  needed_credits: notice.needed,
  days_left: notice.days_left === null ? null : Math.floor(notice.days_left * 10) / 10,
});
