/** The section `signIn`: what people need to sign in. */
import { type Static, Type } from '@sinclair/typebox';
import { section } from './shared-schemas.ts';

/** Who must have a second factor. The first one is the default. */
const SECOND_FACTOR = ['optional', 'required-for-admins', 'required'] as const;

export const SignInSchema = section(
  {
    secondFactor: Type.Optional(
      Type.Union(
        SECOND_FACTOR.map((rule) => Type.Literal(rule)),
        {
          expected: 'optional, required-for-admins or required',
          description:
            'Who must have a [second factor](dashboard.md#second-factor) beside the password: nobody, owners and admins, or everybody. Whoever must have one and has none is led to set one up before anything else. People who sign in without a password need none.',
          default: SECOND_FACTOR[0],
        },
      ),
    ),
  },
  { title: 'Sign-in' },
);

/** The section with its defaults. */
export type SignInSettings = Required<Static<typeof SignInSchema>>;

export const DEFAULT_SIGN_IN: SignInSettings = { secondFactor: SECOND_FACTOR[0] };
