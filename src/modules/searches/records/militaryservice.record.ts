import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord, derivedLabel } from '../../../kernel/declare/record.ts';

export const militaryService = defineRecord({
  name: 'MilitaryService',
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
    BirthDate: f.personalDate({ doc: 'Date of birth.' }),
    USSSN: f.socialSecurityNumber({
      doc: 'Social Security number; stored encrypted, and returned with all but the last four digits masked.',
      last: 'USSSN4',
    }),
    USSSN4: {
      ...f.personal({ doc: 'The last four digits of the Social Security number.', max: 4, exact: true }),
      computed: true,
    },
    ActiveDutyStartDate: required(f.personalDate({ doc: 'The first day of active duty.' })),
    ActiveDutyEndDate: f.personalDate({ doc: 'The last day of active duty; empty if ongoing.' }),
    NotificationDate: f.personalDate({ doc: 'The day on which the person was notified of a call to active duty.' }),
    ServiceComponentCode: f.text({
      doc:
        'The branch and component: A, N, M, F, C, S, H or O, then G guard, R reserve, V active, J cadet or Z ' +
        'unknown.',
      max: 2,
      exact: true,
    }),
  },
});
