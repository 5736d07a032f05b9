import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const schedule = defineRecord({
  name: 'Schedule',
  doc: 'When something is done again and again: at times of the calendar, or every so many minutes. Workflow steps that wait and reports name one.',
  reach: 'configuration',
  labelDoc: 'What the schedule is called.',
  labelMax: 100,
  triggers: { schedule_configuration: 'Tells every process that schedules changed.' },
  fields: {
    ScheduleName: f.text({
      doc: "Times in the installation's time zone, such as `Daily @ 3am`, `Weekly on Mon, Fri @ 02:30` or `Monthly on the last Friday @ 8:00 PM`.",
      max: 200,
    }),
    IntervalMinutes: f.integer({
      doc: 'How many minutes lie between two times, from 1 to 525,600; in place of ScheduleName.',
    }),
  },
});
