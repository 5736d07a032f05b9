import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const role = defineRecord({
  name: 'Role',
  doc: 'A named set of permissions.',
  reach: 'none',
  transferKey: ['Role'],
  labelDoc: "The role's name.",
  labelMax: 100,
  triggers: { role_configuration: 'Notifies every process that roles changed.' },
  fields: {
    Description: f.text({ doc: 'What the role is for.', max: 1000 }),
    Permissions: f.text({
      doc:
        'Permission names separated by spaces or commas. `*` matches any letters and a leading minus ' +
        'removes: `Contact* -ContactDelete`.',
      max: 20000,
    }),
    UniversalAccess: f.boolean({ doc: "Whether the role sees every firm's rows. It never bypasses permissions." }),
  },
});
