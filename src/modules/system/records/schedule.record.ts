import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const schedule = defineRecord({
  name: 'Schedule',
  kind: { group: 'work', position: 6, icon: 'clock', text: 'Recurring times' },
  doc:
    'When something recurs: on days and times of the calendar, or every given number of minutes. Workflow ' +
    'steps and reports use it.',
  reach: 'configuration',
  labelDoc: 'The name of the schedule.',
  labelMax: 100,
  triggers: { schedule_configuration: 'Notifies every process that schedules changed.' },
  fields: {
    ScheduleName: f.text({
      label: 'Times',
      doc:
        "Times in the installation's time zone, such as `Every 15 minutes`, `Daily @ 3am`, `Weekly on Mon, Fri @ " +
        '02:30` or `Monthly on the last Friday @ 8:00 PM`.',
      max: 200,
    }),
    IntervalMinutes: f.integer({
      label: 'Every (minutes)',
      doc: 'Interval in minutes, from 1 to 525,600; instead of ScheduleName.',
    }),
  },
});
