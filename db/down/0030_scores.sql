-- down: all scores, with their items and templates
do $$
declare
  part record;
begin
  for part in select * from (values
    ('casewright_reach_below(text, bigint)', E'  if parent = ''Score'' then\n    return (select array[reachorganizationid] from score where scoreid = parentid and reachorganizationid is not null);\n  end if;\n'),
    ('casewright_reach_spread()', E'  update score set reachorganizationid = null where object = class and objectid = parentid;\n  if class = ''Score'' then update scoreitem set reachorganizationid = null where scoreid = parentid; end if;\n'),
    ('casewright_reach_loan_changed()', E'      update score set reachorganizationid = null where object = ''Loan'' and objectid = new.loanid;\n'),
    ('casewright_reach_process_changed()', E'    update score set reachorganizationid = null where object = new.recordclass and objectid = new.processid;\n')
  ) as parts(function, lines) loop
    execute replace(pg_get_functiondef(part.function::regprocedure), part.lines, '');
  end loop;
end $$;
drop view report.scoreitem, report.score, report.scoreitemtemplate, report.scoretemplate;
drop table scoreitem, score, scoreitemtemplate, scoretemplate;
drop function casewright_scoreitemtemplate_values(), casewright_scoreitem_sealed(), casewright_scoreitem_nested(), casewright_reach_score(), casewright_reach_scoreitem();
