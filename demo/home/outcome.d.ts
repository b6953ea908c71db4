export type Outcome = [tone: 'accepted' | 'hint' | 'rejected' | 'error', sentence: string];
export function describeVerified(detail: {
  accepted: boolean;
  message: string;
  verificationData: { body: string };
}): Outcome;
export function describeError(detail: { status: number; message: string }): Outcome;
