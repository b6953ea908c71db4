/** The scripted service of our own browser tests: the sandbox of the testing kit, to which every address is good. */
import { type Sandbox, startSandbox } from '../../src/testing/sandbox.ts';

export type MockService = Sandbox;

export const MockService = {
  /** Another origin than the pages', and another site than those on `localhost`. */
  start: (): Promise<MockService> => startSandbox({ answers: { '*': 'deliverable' } }),
};
