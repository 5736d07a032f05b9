import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const role = defineRecord({
  name: 'Role',
  doc: 'Permissions that persons get together.',
  reach: 'none',
  transferKey: ['Role'],
  labelDoc: "The role's name.",
  labelMax: 100,
  triggers: { role_configuration: 'Tells every process that roles changed.' },
  fields: {
    Description: f.text({ doc: 'What the role is for.', max: 1000 }),
    Permissions: f.text({
      doc: 'Permission names separated by spaces or commas; `*` stands for any letters, a minus takes away: `Contact* -ContactDelete`.',
      max: 20000,
    }),
    UniversalAccess: f.boolean({ doc: "Whether the role reaches every firm's rows. It never bypasses permissions." }),
  },
});
