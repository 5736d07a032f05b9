-- down: legal holds can be changed by statements
drop trigger legalhold_kept on legalhold;
drop function casewright_legalhold_kept();
