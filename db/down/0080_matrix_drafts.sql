-- down: drafts of decision tables, and accepted warnings about them
drop table matrixacceptance;
drop table matrixdraft;
