/**
 * What is in deploy/ fits together: ports, paths, settings and time limits. The tools that read these files are not here,
 * so docs/hosting.md says how they were checked by hand.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDockerfile } from '../../deploy/read-dockerfile.mjs';
import { makeSite } from '../../docs/site/site.ts';
import { PARTS } from '../../src/build/parts.mjs';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { parseCommandLine } from '../../src/cli/parse.ts';
import { SETTINGS } from '../../src/service/config/variables.ts';
import { MAKE_USER } from '../../src/service/database/embedded/server-user.ts';

const read = (name: string) => readFileSync(`deploy/${name}`, 'utf8');
const VARIABLES = new Set(
  SETTINGS.flatMap(({ variable, isSecret }) => (isSecret ? [variable, `${variable}_FILE`] : [variable])),
);

it.each(readdirSync('deploy'))('names only settings that exist in %s', (name) => {
  for (const [variable] of read(name).matchAll(/\bEVW_[A-Z_]+\b/g)) expect(VARIABLES).toContain(variable);
});

describe('the Dockerfile', () => {
  const stages = readDockerfile(read('Dockerfile'));
  const last = stages.at(-1)!;
  const stepsOf = (instruction: string) => last.steps.filter((step) => step.instruction === instruction);

  it('names its base with a version, and builds every stage on the same one', () => {
    expect(new Set(stages.map(({ base }) => base))).toEqual(new Set(['node:20-bookworm-slim']));
  });

  it('runs as a user who is not root, without a shell', () => {
    expect(stepsOf('USER').map(({ text }) => text)).toEqual(['email-verify']);
    expect(stepsOf('RUN').map(({ text }) => text)).toContain(MAKE_USER);
    expect(JSON.parse(stepsOf('CMD')[0]!.text)).toEqual(['node', 'dist/service/main.js']);
  });

  it('asks the port that the service listens on for its health', () => {
    expect(stepsOf('ENV')[0]!.words).toContain('EVW_PORT=8080');
    expect(stepsOf('HEALTHCHECK')[0]!.text).toMatch(/process\.env\.EVW_PORT.*\/healthz/);
  });

  it('copies files that are there, and that .dockerignore lets through', () => {
    const ignored = readFileSync('.dockerignore', 'utf8');
    const copies = stages.flatMap(({ steps }) => steps.filter(({ instruction }) => instruction === 'COPY'));
    const ofContext = copies.filter(({ text }) => !text.includes('--from=') && text !== '. .');
    for (const path of ofContext.flatMap(({ words }) => words.slice(0, -1))) {
      expect(existsSync(path), path).toBe(true);
      expect(ignored).toMatch(new RegExp(`^!(${path}|${path.split('/')[0]})$`, 'm'));
    }
  });
});

/** Whether .dockerignore lets a file through. */
function isKept(path: string): boolean {
  const kept = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1).replace('*', '[^/]*'));
  return kept.some((name) => new RegExp(`^${name}(/|$)`).test(path));
}

it.each(PARTS)('gives the build all that it makes "$name" of', ({ sources }) => {
  expect(sources.filter((path) => !existsSync(path) || !isKept(path))).toEqual([]);
});

it('gives the build every file that the documentation links to, because a dead link ends it', () => {
  const { served, index } = makeSite();
  const made = index.sections.flatMap(({ pages }) => pages);
  const links = made.flatMap(({ html = '' }) => [...html.matchAll(/ href="([^"#]*)/g)]);
  const linked = links.flatMap(([, url = '']) =>
    url.startsWith(index.repository)
      ? url.slice(index.repository.length).replace(/^(blob|tree)\/HEAD\//, '')
      : [],
  );
  expect(linked).toContain('ARCHITECTURE.md');
  const dropped = [...linked, ...served, 'CHANGELOG.md', 'docs/service.md'].filter((path) => !isKept(path));
  expect(dropped).toEqual([]);
  // The headings of other pages count, too.
  const { sources } = PARTS.find(({ name }) => name === 'docs')!;
  const pages = linked.filter((path) => path.endsWith('.md') && !path.startsWith('docs/'));
  expect(pages.filter((path) => !sources.includes(path))).toEqual([]);
});

describe('compose.yml', () => {
  interface Service {
    readonly image?: string;
    readonly command?: readonly string[];
    readonly ports?: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
    readonly stop_grace_period: string;
    readonly volumes?: readonly string[];
  }
  const text = read('compose.yml');
  const { services, volumes } = parse(text, { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: object;
  };

  it('has a web process, a worker and PostgreSQL', () => {
    expect(Object.keys(services)).toEqual(['web', 'worker', 'database']);
    for (const role of ['web', 'worker']) {
      expect(services[role]!.command).toEqual(['node', 'dist/service/main.js', '--role', role]);
      expect(services[role]!.depends_on).toEqual({ database: { condition: 'service_healthy' } });
      expect(Number.parseInt(services[role]!.stop_grace_period, 10)).toBeGreaterThan(15);
    }
  });

  it('requires one variable, and has a default for every other one', () => {
    const named = [...text.matchAll(/\$\{(\w+)(:[?-])/g)];
    const required = new Set(named.filter(([, , how]) => how === ':?').map(([, name]) => name));
    expect(required).toEqual(new Set(['POSTGRES_PASSWORD']));
    expect(text.match(/\$\{/g)).toHaveLength(named.length);
  });

  it('opens no port to the network, and keeps the database in a named volume', () => {
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:.*:8080$/),
    ]);
    expect(services.database!.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(Object.keys(volumes)).toEqual(['database']);
  });
});

describe('the units of systemd', () => {
  it('start what the build makes, and give the service its 15 seconds', () => {
    const unit = read('email-verify.service');
    expect(unit).toContain('/dist/service/main.js --config /etc/email-verify/service.json');
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])).toBeGreaterThan(15);
    for (const line of ['DynamicUser=yes', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'KillMode=mixed'])
      expect(unit.split('\n')).toContain(line);
    expect(read('email-verify-backup.service')).toContain('/dist/admin/main.js --config');
  });

  it('update a list of the operator, in a folder that only this unit may write to', () => {
    const unit = read('email-verify-lists.service');
    const [, words = ''] = /^ExecStart=\/usr\/bin\/node \S+\/dist\/admin\/main\.js (.+)$/m.exec(unit)!;
    const given = words.replace(/\$\{LIST_URL\}/, 'https://lists.example/').split(' ');
    expect(parseCommandLine(given, COMMANDS, () => '')).toMatchObject({
      kind: 'run',
      config: '/etc/email-verify/service.json',
      values: { from: 'https://lists.example/' },
    });
    const [, folder = ''] = /^ReadWritePaths=(.+)$/m.exec(unit)!;
    const timer = read('email-verify-lists.timer');
    expect(timer).toContain(`"listsFolder": "${folder}"`);
    expect(timer).toContain(`install -d -m 755 ${folder}\n`);
    const [, file = ''] = /^EnvironmentFile=(\/.+)$/m.exec(unit)!;
    expect(timer).toMatch(new RegExp(`'LIST_URL=https://\\S+' > ${file}\n`));
  });
});

describe('the reverse proxies', () => {
  it.each([
    ['Caddyfile', /max_size 9MiB/, /max_size 101MiB/, /keepalive 60s/],
    ['nginx.conf', /client_max_body_size 9m/, /client_max_body_size 101m/, /keepalive_timeout 60s/],
  ])(
    'in %s let the service answer what is too large, and close connections before it does',
    (name, ...rules) => {
      for (const rule of rules) expect(read(name)).toMatch(rule);
    },
  );

  it.each([
    [
      'Caddyfile',
      'reverse_proxy 127.0.0.1:8080 127.0.0.1:8081 {',
      '# health_uri /readyz',
      '# health_interval 500ms',
    ],
    ['nginx.conf', '# server 127.0.0.1:8081;', 'server 127.0.0.1:8080;'],
  ])('show in %s how to use two web processes', (name, ...lines) => {
    for (const line of lines) expect(read(name)).toContain(line);
  });

  it('log no keys, email addresses and names of downloads', () => {
    const config = read('nginx.conf').replace(/^ *#.*$/gm, '');
    const formats = new Map(
      [...config.matchAll(/log_format (\w+) '([^']*)'/g)].map(([, name, text]) => [name, text]),
    );
    const servers = config.split(/^server \{$/m).slice(1);
    expect(servers).toHaveLength(2);
    for (const server of servers) {
      const log = /access_log (?:off|\S+ (\w+));/.exec(server);
      expect(log).not.toBeNull();
      if (log?.[1] !== undefined) expect(formats.has(log[1])).toBe(true);
      expect(server).toMatch(/error_log \S+ crit;/);
    }
    // These have the query, or the URL of the page before.
    const logged = [...formats.values()].join().match(/\$\w+/g);
    for (const name of ['$request', '$request_uri', '$args', '$query_string', '$uri', '$http_referer'])
      expect(logged).not.toContain(name);
    expect(config).toMatch(
      /map \$uri \$email_verify_path \{\s+~\^\/download\/ \/download\/;\s+default \$uri;\s+\}/,
    );
  });

  it('forward the host with its port, without which sign-in on another port is refused', () => {
    expect(read('nginx.conf')).toContain('proxy_set_header Host $http_host;');
  });
});
