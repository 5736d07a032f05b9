import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

const welcomeHidden = defineSetting(
  'WelcomeHidden',
  f.boolean({ doc: 'Whether the home page no longer leads administrators to the first steps, at `/welcome`.' }),
  false,
);

export const settings = [welcomeHidden];
