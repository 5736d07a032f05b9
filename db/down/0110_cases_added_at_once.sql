-- down: nothing; what is added to cases is noted row by row
do $$
declare
  class text;
begin
  foreach class in array array['contact', 'decision', 'decisiondelay', 'importform'] loop
    execute format('drop trigger %I on %I', class || '_case_created', class);
    execute format('create trigger %I after insert on %I for each row when (new.object in (%s)) execute function casewright_case_change_below()',
      class || '_case_created', class,
      case class when 'contact' then '''Loan'', ''Foreclosure'', ''Bankruptcy''' else '''Foreclosure'', ''Bankruptcy''' end);
  end loop;
end $$;

drop function casewright_cases_added_to();
