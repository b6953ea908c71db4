/** How long a person has to wait, in words. */
export function durationInWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (seconds === 1) return '1 second';
  if (seconds < 60) return `${seconds} seconds`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
