import { install } from 'email-verify-widget';
import { logDecisions, observe } from 'email-verify-widget/debug';

export function begin(isDevelopment: boolean): void {
  if (isDevelopment) logDecisions();
  observe(({ at, kind, field, text }) =>
    performance.mark(`${kind} ${field}`, { startTime: at, detail: text }),
  );
  install({ apiKey: 'test_public_key', baseUrl: 'https://api.example' });
}
