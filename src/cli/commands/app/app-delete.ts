/** `app delete`: removes an OAuth app and ends its tokens. */

import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { removeApp } from '../../../service/oauth/apps/manage/manage-apps.ts';
import { defineCommand } from '../../command.ts';
import { required, text } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';

export const appDelete = defineCommand({
  words: ['app', 'delete'],
  description: 'Deletes an OAuth app. This ends all its codes and tokens at once, in every account.',
  flags: { 'client-id': required(text('ID', 'The id of the app, from app create or app list.')) },
  example: 'app delete --client-id 0123456789abcdef0123456789abcdef',
  async run({ db }, { 'client-id': clientId }) {
    if (!(await removeApp(db, OPERATOR, { clientId }))) {
      throw new UsageError(
        `Expected --client-id to be the id of an app, got ${quote(clientId)}. Run app list to see the ids.`,
      );
    }
    return { client_id: clientId, deleted: true };
  },
});
