/** `secrets reseal`: seals all stored secrets with the first key of the key file. */

import { UsageError } from '../../../service/core/usage-error.ts';
import { resealSecrets } from '../../../service/database/reseal.ts';
import { secretsOf } from '../../../service/database/secrets.ts';
import { defineCommand } from '../../command.ts';

export const secretsReseal = defineCommand({
  words: ['secrets', 'reseal'],
  description:
    'Seals the secrets that are in clear or have an older key: of callbacks, captchas and proofs, with the first key of secretsKeyFile. It works while the service runs. Afterwards, no secret needs the older keys.',
  flags: {},
  example: 'secrets reseal',
  // On a large database, it takes minutes.
  isPatient: true,
  async run({ db }) {
    const { keyId } = secretsOf(db);
    if (keyId === undefined) {
      throw new UsageError('Expected secretsKeyFile in the config, got none. Add a file with a key.');
    }
    return { key: keyId, ...(await resealSecrets(db)) };
  },
});
