import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord, derivedLabel } from '../../../kernel/declare/record.ts';

export const militaryService = defineRecord({
  name: 'MilitaryService',
  title: 'Military check',
  doc: "A period of a person's military service. Military status checks with the source LocalTable look here.",
  reach: 'none',
  staffReports: true,
  label: derivedLabel(
    ['LastName', 'FirstName'],
    (row) => [row.LastName, row.FirstName].filter(Boolean).join(', ') || null,
  ),
  fields: {
    LastName: required(f.personal({ doc: 'Last name.', max: 100 })),
    FirstName: f.personal({ doc: 'First name.', max: 100 }),
    BirthDate: f.personalDate({ label: 'Date of birth', doc: 'Date of birth.' }),
    USSSN: f.socialSecurityNumber({
      label: 'SSN',
      doc: 'Social Security number; stored encrypted, and returned with all but the last four digits masked.',
      last: 'USSSN4',
    }),
    USSSN4: {
      label: 'SSN, last four',
      ...f.personal({ doc: 'The last four digits of the Social Security number.', max: 4, exact: true }),
      computed: true,
    },
    ActiveDutyStartDate: required(f.personalDate({ label: 'Active duty from', doc: 'The first day of active duty.' })),
    ActiveDutyEndDate: f.personalDate({
      label: 'Active duty until',
      doc: 'The last day of active duty; empty if ongoing.',
    }),
    NotificationDate: f.personalDate({
      label: 'Called up',
      doc: 'The day on which the person was notified of a call to active duty.',
    }),
    ServiceComponentCode: f.text({
      label: 'Service branch',
      doc:
        'The branch and component: A, N, M, F, C, S, H or O, then G guard, R reserve, V active, J cadet or Z ' +
        'unknown.',
      max: 2,
      exact: true,
    }),
  },
});
