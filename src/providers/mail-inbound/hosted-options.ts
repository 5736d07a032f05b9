import { f, required } from '../../kernel/declare/field.ts';
import type { ParameterFields } from '../../kernel/declare/field-types.ts';

/** Options of the sign-in by OAuth 2 with client credentials. */
export const hostedSignInOptions = {
  Password: required(f.secret({ doc: 'The credentials: `{tenantId}:{clientId}:{secretId}`.', max: 2000 })),
  TokenURL: required(
    f.text({ doc: 'The address that issues access tokens; `{tenantId}` is filled in.', max: 2000, exact: true }),
  ),
  Scope: f.text({ doc: 'The scopes of the token, separated by spaces.', max: 1000, exact: true }),
} as const satisfies ParameterFields;
