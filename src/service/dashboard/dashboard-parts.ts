/** What the pages of the dashboard need. Each process has its own. */

import type { Finding } from '../../engine/doctor/finding.ts';
import type { CallbackRules } from '../batch/callback-url.ts';
import type { BatchRequest, Created } from '../batch/create-batch.ts';
import type { Durations } from '../config/sections/durations-section.ts';
import type { PublicUrl } from '../core/public-url.ts';
import type { Db } from '../database/schema.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import type { Reader } from '../lists/reading/list-reader.ts';
import type { OAuthServer } from '../oauth/oauth-server.ts';
import type { ChangePassword } from '../people/sign-in/change-password.ts';
import type { ConfirmPassword } from '../people/sign-in/confirm-password.ts';
import type { LiveVerifications } from '../verify/live/live-verifications.ts';

export interface DashboardParts {
  readonly db: Db;
  readonly rateLimit: RateLimit;
  readonly processId: string;
  /** Absent without a verifier for live keys. */
  readonly live: LiveVerifications | undefined;
  /** Whether it is certain that no mail server can be reached. */
  readonly isPortClosed: () => boolean;
  /** The problems for the operator that this process found in its latest check. */
  readonly findings: () => readonly Finding[];
  readonly createBatch: (request: BatchRequest) => Promise<Created>;
  /** Whether live batches are verified. */
  readonly takesLiveBatches: boolean;
  /** Whether the service asks the operator's billing for missing credits. */
  readonly asksBilling: boolean;
  /** Whether unknown results cost nothing. */
  readonly refundUnknown: boolean;
  /** Whether captchas may be checked at private URLs. */
  readonly allowPrivateCallbacks: boolean;
  readonly callbackRules: CallbackRules;
  /** Reads lists that are uploaded. */
  readonly listReader: Reader;
  readonly oauth: OAuthServer;
  readonly publicUrl: PublicUrl;
  readonly durations: Durations;
  readonly changePassword: ChangePassword;
  readonly confirmPassword: ConfirmPassword;
}
