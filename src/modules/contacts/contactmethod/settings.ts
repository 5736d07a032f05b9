import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const contactMethodUniqueByType = defineSetting(
  'ContactMethodUniqueByType',
  f.boolean({
    doc:
      'Whether a contact has one method of each type: another value then changes it, and an empty one removes ' +
      'it. If off, a contact has as many as are sent.',
  }),
  true,
);
export const contactMethodTypes = defineSetting(
  'ContactMethodTypes',
  f.text({
    doc:
      'The types of contact methods that a contact or organization accepts as parameters by name (`Email=`, ' +
      '`Phone=`), comma-separated. The parameter omits spaces of the name. Other types are saved as methods.',
    max: 2000,
  }),
  'Email, Phone, Home Phone, Work Phone, Mobile, Fax',
);

export const settings = [contactMethodUniqueByType, contactMethodTypes] as const;
