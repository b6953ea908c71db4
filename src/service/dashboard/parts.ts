/** What the pages of the dashboard work with. Each process has its own. */
import type { BatchRequest, Created } from '../batch/create.ts';
import type { Durations } from '../config/durations.ts';
import type { Db } from '../database/schema.ts';
import type { OAuthServer } from '../oauth/server.ts';
import type { PublicUrl } from '../public-url.ts';
import type { ChangePassword } from '../sign-in/change-password.ts';
import type { LiveVerifications } from '../verify/live/live-verifications.ts';

export interface DashboardParts {
  readonly db: Db;
  readonly processId: string;
  /** Absent without a verifier for live keys. */
  readonly live: LiveVerifications | undefined;
  /** No mail server can be reached for certain. */
  readonly isPortClosed: () => boolean;
  readonly createBatch: (request: BatchRequest) => Promise<Created>;
  /** Whether live batches are verified. */
  readonly takesLiveBatches: boolean;
  /** Whether unknown results cost nothing. */
  readonly refundUnknown: boolean;
  /** Whether callbacks may go to private IP addresses. */
  readonly allowPrivateCallbacks: boolean;
  readonly oauth: OAuthServer;
  readonly publicUrl: PublicUrl;
  readonly durations: Durations;
  readonly changePassword: ChangePassword;
}
