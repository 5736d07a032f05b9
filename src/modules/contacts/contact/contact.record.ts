import { f } from '../../../kernel/declare/field.ts';
import { defineRecord, derivedLabel } from '../../../kernel/declare/record.ts';
import { contactLabel } from './lib/record/contact-label.ts';

export const contact = defineRecord({
  name: 'Contact',
  doc:
    'A person to reach about a record: a borrower, an attorney, a trustee. Has an address, phone numbers ' +
    'and emails.',
  parent: 'Contacts',
  reach: 'many',
  template: 'ContactTemplate',
  collections: { ParentContactID: 'Aliases' },
  label: derivedLabel(['LastName', 'FirstName', 'MiddleName', 'Suffix', 'Company'], contactLabel),
  words: ['Contact', 'Address', 'City'],
  isName: true,
  labelDoc: '"LastName, FirstName", or the company.',
  triggers: {
    contact_reach_payments: 'Propagates a change of its firms to its payments.',
    contact_reach:
      'Maintains the firms that can see the contact: those of its parent, as its template allows; for an ' +
      'alias without a parent, those of the contact it is an alias of.',
    contact_reach_changed: 'Propagates a change of its firms to its own contacts, aliases and methods.',
    contact_reach_spread: 'Propagates a change of its firms to the records below it.',
    contact_case_created: 'Notes that the summary of its case is out of date.',
    contact_case_deleted: 'Notes it when the row goes.',
    contact_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    RecordClass: {
      label: 'Kind',
      ...f.text({ doc: 'The concrete record type: Contact or one derived from it.', max: 60, exact: true }),
      computed: true,
    },
    FirstName: f.personal({ doc: 'First name.', max: 100 }),
    MiddleName: f.personal({ doc: 'Middle name or initial.', max: 100 }),
    LastName: f.personal({ doc: 'Last name.', max: 100 }),
    Prefix: f.personal({ label: 'Title before the name', doc: 'Form of address, such as Dr.', max: 20 }),
    Suffix: f.personal({ doc: 'What follows the name, such as Jr.', max: 20 }),
    Company: f.personal({ doc: 'Company name.', max: 255 }),
    Title: f.text({ label: 'Job title', doc: 'Position or title.', max: 100 }),
    Address: f.personal({ doc: 'Street address.', max: 255 }),
    City: f.personal({ doc: 'City.', max: 100 }),
    State: f.text({ doc: 'State, as two letters in the United States.', max: 50 }),
    PostalCode: f.personal({ label: 'ZIP code', doc: 'ZIP or postal code.', max: 20 }),
    Country: f.text({ doc: 'Country.', max: 60 }),
    BirthDate: f.personalDate({ label: 'Date of birth', doc: 'Date of birth.' }),
    SpokenLanguage: f.text({ label: 'Language', doc: 'The language that the person speaks.', max: 60 }),
    Latitude: f.decimal({ doc: 'Degrees north.' }),
    Longitude: f.decimal({ doc: 'Degrees east.' }),
    ParentContactID: f.id({
      label: 'Alias of',
      doc: 'The contact of which this is an alias or a relation. That contact is not an alias itself.',
      to: 'Contact',
    }),
    USSSN: f.socialSecurityNumber({
      label: 'SSN',
      doc: 'Social Security number, stored encrypted and returned with all but the last four digits masked.',
      last: 'USSSN4',
    }),
    USSSN4: {
      label: 'SSN, last four',
      ...f.personal({ doc: 'The last four digits of the Social Security number.', max: 4, exact: true }),
      computed: true,
    },
    SCRAStatus: f.text({
      doc:
        'Result of the last military status check: Pending until it is known, Active Duty, Called Up, Recent ' +
        'Active Duty, Not Active, No Record, Incomplete if the contact lacks data that a check needs, or Error.',
      max: 60,
    }),
    SCRASource: f.text({ label: 'SCRA checked with', doc: 'The source of the military status.', max: 100 }),
    SCRAStatusAsOf: f.date({ label: 'SCRA checked as of', doc: 'The day for which the military status was checked.' }),
    SCRAActiveDutyStartDate: f.personalDate({
      label: 'Active duty from',
      doc: 'The first day of the service that the military status refers to.',
    }),
    SCRAActiveDutyEndDate: f.personalDate({
      label: 'Active duty until',
      doc: 'The last day of that service. Empty while it continues.',
    }),
    SCRAServiceComponentCode: f.text({
      label: 'Service branch',
      doc: 'The branch and component of that service, such as AV: a letter each.',
      max: 10,
      exact: true,
    }),
    SCRAMessage: f.text({ label: 'SCRA message', doc: 'Why the last military status check had no result.', max: 255 }),
    VerifiedSource: f.text({ label: 'Verified by', doc: 'What verified the address.', max: 100 }),
    VerifiedDate: f.timestamp({ label: 'Verified', doc: 'When the address was verified.' }),
    BorrowerType: f.choice(['Primary', 'Secondary'], {
      label: 'Borrower',
      doc: "Of a loan's borrower: primary or secondary.",
    }),
    Sequence: f.integer({
      label: 'Order',
      doc: "The order among contacts of one parent. A loan's borrower sent again is recognized by it.",
    }),
  },
});
