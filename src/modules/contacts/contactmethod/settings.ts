import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const contactMethodUniqueByType = defineSetting(
  'ContactMethodUniqueByType',
  f.boolean({
    doc: 'Whether a contact has one method of each type: another value then changes it, an empty one removes it. Where it is off a contact has as many as are sent.',
  }),
  true,
);
export const contactMethodTypes = defineSetting(
  'ContactMethodTypes',
  f.text({
    doc: "The types of contact methods that a contact or organization takes by their names (`Email=`, `Phone=`), comma-separated; a space in one is left out of the parameter's name. Other types are saved as methods.",
    max: 2000,
  }),
  'Email, Phone, Home Phone, Work Phone, Mobile, Fax',
);

export const settings = [contactMethodUniqueByType, contactMethodTypes] as const;
