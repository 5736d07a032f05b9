import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const view = defineRecord({
  name: 'View',
  kind: { group: 'pages', position: 1, icon: 'filter', text: 'Saved lists that teams share' },
  doc: 'A saved list: which records of a type it shows, in which columns and order.',
  reach: 'configuration',
  labelDoc: "The view's name, as its tab shows it.",
  labelMax: 60,
  // Views of a user or a team belong to the people of this installation.
  withheld: (row) => typeof row['personid'] === 'number' || typeof row['collectionid'] === 'number',
  transferKey: ['RecordType', 'View'],
  fields: {
    RecordType: required(
      f.text({ label: 'List of', doc: 'The record type that it lists, such as CaseSummary.', max: 60, exact: true }),
    ),
    Filters: f.text({
      names: 'CustomField',
      doc: "The search's filters as a query string, as in the list's address: `Status=Open&Hold=not+null`.",
      max: 4000,
      exact: true,
    }),
    Columns: f.text({
      names: 'CustomField',
      doc: "Columns in their order, comma-separated. Empty: the list's own.",
      max: 2000,
      exact: true,
    }),
    // Not OrderBy, which is the order of a search of views itself.
    SortedBy: f.text({
      doc: 'Columns to sort by, comma-separated. A leading minus sorts a column descending.',
      max: 500,
      exact: true,
    }),
    PersonID: f.id({ label: 'Owner', doc: 'The user to whom it belongs. Empty: shared.', to: 'Person' }),
    CollectionID: f.id({
      label: 'Shared with team',
      doc: 'The team that it is shared with. Empty, without a user too: everybody.',
      to: 'Collection',
    }),
    Pinned: f.boolean({
      label: 'Pinned for all',
      doc: 'Whether the sidebar of all who see it shows it with its number of records, unless they unpin it there.',
      default: false,
    }),
    Position: f.integer({ doc: 'Its place among the tabs. Lower numbers come first, views without one last.' }),
  },
});
