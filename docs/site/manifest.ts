/**
 * The sections of the documentation, and their pages in order. The build makes a page of each Markdown file that is
 * listed here. It fails if a Markdown file in docs/ is missing.
 */

import type { SitePart } from '../../src/service/pages/page-urls.ts';

/** A page from a Markdown file. Its title is the first heading. */
export interface MarkdownPage {
  /** From the top folder. */
  readonly file: string;
  /** The name in the navigation. @default the first heading */
  readonly title?: string;
  /** What a reader finds on the page, in one short sentence. */
  readonly about: string;
}

/** A page that is made of something else. */
export interface OtherPage {
  /** From the root of the service. */
  readonly url: string;
  readonly title: string;
  readonly about: string;
  /** The part of a service without which it lacks the page. @default every service has it */
  readonly needs?: SitePart;
}

export interface Section<Page = MarkdownPage | OtherPage> {
  readonly title: string;
  readonly pages: readonly Page[];
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      { file: 'docs/start.md', title: 'First steps', about: 'A verified address in five minutes.' },
      { file: 'docs/troubleshooting.md', about: 'Find the cause by what you see.' },
      { file: 'docs/privacy.md', about: 'What is sent and stored, for how long, and how to erase it.' },
      {
        file: 'docs/comparison.md',
        about: 'Other widgets and services, and when they are the better choice.',
      },
      { file: 'docs/upgrading.md', about: 'What to do for a new version, and what can break.' },
      { file: 'CHANGELOG.md', about: 'What is new in each version.' },
    ],
  },
  {
    title: 'Widget',
    pages: [
      { file: 'docs/widget.md', about: 'Options, methods, events, attributes, styles and languages.' },
      {
        file: 'docs/frameworks.md',
        title: 'Frameworks',
        about: 'React, Vue, Svelte, Angular and Preact, with and without a server that renders.',
      },
      { file: 'docs/captchas.md', about: 'Turnstile, hCaptcha, reCAPTCHA, Friendly Captcha and ALTCHA.' },
      {
        file: 'docs/pages.md',
        title: 'Libraries',
        about: 'The few pages that need extra code: jQuery, htmx, Turbo and others.',
      },
      { file: 'docs/debugging.md', title: 'Debugging', about: 'See what the widget does, and why.' },
      {
        url: '/debug/',
        title: 'Debug page',
        about: 'Each step of the widget on a time line, live.',
        needs: 'demo',
      },
      {
        file: 'docs/testing.md',
        title: 'Testing',
        about: 'A verification service in one line of your tests.',
      },
      {
        file: 'docs/faults.md',
        title: 'Failures',
        about: 'What visitors and pages see when something fails.',
      },
      { file: 'docs/browsers.md', about: 'The supported browsers, and where they differ.' },
    ],
  },
  {
    title: 'Recipes',
    pages: [
      { file: 'docs/recipes/README.md', title: 'All recipes', about: 'Whole pages and programs to copy.' },
      {
        file: 'docs/recipes/disposable.md',
        title: 'No disposable addresses',
        about: 'Reject disposable addresses only.',
      },
      { file: 'docs/recipes/business.md', about: 'Reject addresses of free providers.' },
      {
        file: 'docs/recipes/own-element.md',
        title: 'Your own element',
        about: 'Show messages where your page has a place for them.',
      },
      {
        file: 'docs/recipes/events-only.md',
        about: 'The widget fires events, and your page decides.',
      },
      { file: 'docs/recipes/single-page-apps.md', about: 'Views that come and go.' },
      { file: 'docs/recipes/several-forms.md', about: 'Different rules for each form.' },
      {
        file: 'docs/recipes/browser-proof.md',
        about: 'A token of the mail provider that the address is the visitor’s. A trial.',
      },
      { file: 'docs/recipes/captcha.md', title: 'A captcha', about: 'For a key that requires a captcha.' },
      {
        file: 'docs/recipes/strict-csp.md',
        title: 'A strict policy',
        about: 'What a Content Security Policy has to allow.',
      },
      {
        file: 'docs/recipes/self-hosting.md',
        title: 'Self-hosting',
        about: 'Serve the script and the service yourself.',
      },
      {
        file: 'docs/recipes/api-clients.md',
        title: 'Calling the API',
        about: 'What your HTTP library needs to know: a 249, timeouts and booleans.',
      },
      {
        file: 'docs/recipes/moving.md',
        title: 'Moving from another widget',
        about: 'Their options, and ours.',
      },
      {
        file: 'docs/recipes/analytics.md',
        title: 'Analytics',
        about: 'Count verdicts without personal data.',
      },
    ],
  },
  {
    title: 'API',
    pages: [
      {
        file: 'docs/server.md',
        title: 'Your server',
        about: 'Decide about a form on your own server, in JavaScript, Python or PHP.',
      },
      { file: 'docs/service.md', about: 'Requests, keys, credits, logs and test keys.' },
      { url: '/docs/api/', title: 'API reference', about: 'Every endpoint, with forms to try it.' },
    ],
  },
  {
    title: 'Batches',
    pages: [{ file: 'docs/batch.md', about: 'Verify a whole list, and get a callback when it is done.' }],
  },
  {
    title: 'OAuth',
    pages: [{ file: 'docs/oauth.md', title: 'OAuth', about: 'Let other apps verify for an account.' }],
  },
  {
    title: 'Dashboard',
    pages: [
      {
        file: 'docs/dashboard.md',
        title: 'Dashboard',
        about: 'Lists, keys, credits and settings in the browser.',
      },
    ],
  },
  {
    title: 'Hosting',
    pages: [
      { file: 'docs/hosting.md', about: 'Docker, systemd and reverse proxies.' },
      { file: 'docs/security.md', about: 'What is promised, what was tried, and what is not promised.' },
      { file: 'docs/operations.md', about: 'What to do when an alert fires. Roles and metrics.' },
      { file: 'docs/scaling.md', about: 'How much one machine does, and what to add next.' },
      { file: 'docs/engine.md', about: 'How addresses are verified, and how to set it up.' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { file: 'docs/configuration.md', about: 'Every setting and its variable.' },
      { url: '/docs/openapi.json', title: 'OpenAPI', about: 'The API for programs, as one JSON file.' },
      { url: '/docs/postman.json', title: 'Postman', about: 'The API as a collection to import.' },
      {
        url: '/reference/',
        title: 'Module reference',
        about: 'Every function and type of the npm package.',
        needs: 'reference',
      },
      {
        file: 'docs/third-party.md',
        title: 'Third-party software',
        about: 'The licences of the embedded database.',
      },
    ],
  },
];
