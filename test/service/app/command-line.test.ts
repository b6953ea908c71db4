import { expect, it } from 'vitest';
import { readCommandLine } from '../../../src/service/app/command-line.ts';

it('reads config, host and port', () => {
  const read = readCommandLine(['--config', 'a.json', '--port=0', '--host', '::1']);
  expect(read).toEqual({ isDemo: false, config: 'a.json', host: '::1', port: 0 });
  expect(readCommandLine(['--demo'])).toMatchObject({ isDemo: true, port: undefined });
});

it.each(['web', 'worker', 'all'])('reads the role %s', (role) => {
  expect(readCommandLine(['--config', 'a.json', '--role', role]).role).toBe(role);
});

it('takes a config for the demo', () => {
  expect(readCommandLine(['--demo', '--config', 'a.json'])).toMatchObject({ isDemo: true, config: 'a.json' });
});

it('reads the data folder of the demo', () => {
  expect(readCommandLine(['--demo', '--data', 'there']).data).toBe('there');
});

it.each([
  ['0', 0],
  ['80', 80],
  ['8080', 8080],
  ['65535', 65_535],
])('takes port %s', (text, port) => {
  expect(readCommandLine(['--demo', '--port', text]).port).toBe(port);
});

it('passes over the end of the options', () => {
  expect(readCommandLine(['--demo', '--'])).toMatchObject({ isDemo: true });
});

it.each([
  [['--config'], 'Expected a value after --config, got nothing.'],
  [['--config', ''], 'Expected a value after --config, got nothing.'],
  [
    ['--demo', '--prot', '1'],
    'Expected only --config FILE, --host HOST, --port N, --role web|worker|all, --demo, --data FOLDER or --help, got "--prot".',
  ],
  [['--config', 'a.json', '--data', 'there'], 'Expected --data with --demo only.'],
  [['--config', 'a.json', '--role', 'nonsense'], 'Expected --role to be web, worker or all, got "nonsense".'],
  [['--config', 'a.json', '--role', 'Web'], 'got "Web".'],
  [['--config', 'a.json', '--role'], 'Expected a value after --role, got nothing.'],
  [
    ['--config', 'a.json', '--role', 'web', '--role', 'web'],
    'Expected --role once, got it 2 times. Remove the others.',
  ],
  [['--demo', '--role', 'web'], 'Expected --demo without a role'],
  [['--demo', '--data'], 'Expected a value after --data, got nothing.'],
  [['--demo', '8080'], 'got a word without a flag.'],
  [['--demo', '-p', '1'], 'got "-p".'],
  [['--demo', '--constructor'], 'got "--constructor".'],
  [['--demo', '--port', '1', '--port', '2'], 'Expected --port once, got it 2 times. Remove the others.'],
  [['--demo', '--port', '65536'], 'Expected --port to be a whole number from 0 to 65535, got "65536".'],
  [['--demo', '--port', '80a'], 'got "80a".'],
  [['--demo', '--port', 'a80'], 'got "a80".'],
  [['--demo', '--port=-1'], 'got "-1".'],
  [['--demo', '--port', '100000'], 'got "100000".'],
  [['--demo=yes'], 'Expected --demo without a value, got one.'],
  [['--demo', '--', '8080'], 'got a word without a flag.'],
])('refuses %j', (parameters, message) => {
  expect(() => readCommandLine(parameters)).toThrow(message);
});

it('never repeats a secret that was put in the wrong place', () => {
  const secret = 'postgres://ada:s3cret@example.com/db';
  const misplaced = [
    ['--database', secret],
    ['--database', 's3cret'],
    ['--port', secret],
  ];
  const silent = expect.objectContaining({ message: expect.not.stringContaining('s3cret') });
  for (const parameters of [[secret], ...misplaced, [`--demo=${secret}`]])
    expect(() => readCommandLine(parameters)).toThrow(silent);
});
